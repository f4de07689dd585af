"""Whether a hosted editor can be asked at all, said before anything is spent."""

from __future__ import annotations

from editscope.editors.hosted.service import Service
from editscope.errors import BadInput
from editscope.transport.messages import loads
from editscope.transport.reach import unreachable, wants_tls
from editscope.transport.session import body, session

CHECK_S = 15.0


async def check(service: Service, spec: str, key: str, key_env: str) -> None:
    """Raise BadInput with one sentence where address, key or model are wrong.

    It asks for what is free. A server that does not offer that is believed to be right: compatible servers often
    have nothing but the endpoint that makes pictures.
    """
    status, content = await _asked(service, key)
    if service.denies(status, content) and not _lacks_rights(content):
        if not key:
            raise BadInput(f"{service.settings.base_url} wants a key; put it into the variable {key_env}")
        raise BadInput(f"{service.settings.base_url} does not accept the key in {key_env}; check that variable")
    at_home = service.settings.base_url == service.home
    if at_home and (status == 404 or (status == 200 and not _known(service, content))):
        raise BadInput(
            f"{service.settings.base_url} knows no model {service.settings.model!r}, or this key may not use it; "
            f"check the name in --editor {spec}"
        )


def _lacks_rights(content: bytes) -> bool:
    """A key may be allowed to make pictures and nothing else; its server then answers 401 to this question."""
    said = content.lower()
    return b"scope" in said or b"permission" in said


def _known(service: Service, content: bytes) -> bool:
    try:
        return service.known(loads(content))
    except (ValueError, KeyError, TypeError, AttributeError):
        return True


async def _asked(service: Service, key: str) -> tuple[int, bytes]:
    import aiohttp

    base_url = service.settings.base_url
    limit = aiohttp.ClientTimeout(total=CHECK_S)
    url = f"{base_url}/{str(service.check_path).lstrip('/')}"
    try:
        async with (
            session(base_url, headers=service.headers(key), timeout=limit) as connected,
            connected.get(url, allow_redirects=False) as response,
        ):
            status, content = response.status, await body(response)
    except Exception as error:
        unreached = await unreachable(error, CHECK_S, url)
    else:
        found = wants_tls(status, content)
        if found is None:
            return status, content
        unreached = found
    said = unreached.said("check the network and ?base_url=")
    raise BadInput(f"the editor's server {base_url} cannot be reached {said}")

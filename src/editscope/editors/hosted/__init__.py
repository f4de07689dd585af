"""Hosted editors: models behind a vendor's HTTP API."""

from __future__ import annotations

from editscope.editors.hosted.client import HostedModel
from editscope.editors.hosted.editor import HostedEditor, load_hosted
from editscope.editors.hosted.exchange import Exchange, FormPart
from editscope.editors.hosted.options import ServiceOption, flag, matching, number, one_of
from editscope.editors.hosted.prices import EditPrice, Tokens
from editscope.editors.hosted.service import EncodedRequest, PictureAnswer, Service, ServiceSettings, VendorService
from editscope.transport.faults import Failed

__all__ = [
    "EditPrice",
    "EncodedRequest",
    "Exchange",
    "Failed",
    "FormPart",
    "HostedEditor",
    "HostedModel",
    "PictureAnswer",
    "Service",
    "ServiceOption",
    "ServiceSettings",
    "Tokens",
    "VendorService",
    "flag",
    "load_hosted",
    "matching",
    "number",
    "one_of",
]

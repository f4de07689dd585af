"""Words of captions about the camera: its names, what stands before them, and what makes a thing of them."""

from __future__ import annotations

from editscope.suites.annotation.questions.english import word_set

CAMERA = word_set(
    "camera cam lens shot view viewpoint perspective frame framing drone pov cameraman footage angle camerawork "
    "steadicam gimbal"
)
"""Nouns that stand for the camera."""
SHAKY = word_set("handheld shaky jittery unsteady wobbly trembling shaking")
MANNER = word_set(
    "slow slowly quick quickly gentle gently smooth smoothly slight slightly subtle soft steady steadily fast "
    "rapid sudden sharp brief short long wide tight close tiny small big large full half gradual continuous "
    "constant careful dramatic graceful swift brisk lazy easy single simple minimal light heavy rough strong wild "
    "low high tall upward downward leftward rightward forward backward lateral sideways vertical horizontal "
    "circular diagonal left right clockwise counterclockwise whip swish crash snap camera lens aerial drone "
    "cinematic very extremely second third first final last static fixed locked unbroken combined whole entire "
    "dutch slowing crawling creeping even mild faint overhead intimate sweeping measured deliberate fluid "
    "seamless abrupt hurried leisurely barely perceptible almost imperceptible degree little bit longer quicker "
    "slower faster further new matching reverse opposite eye level medium macro extreme still stationary tripod "
    "mounted stable motionless unmoving moving off down wider tighter closer narrow birds bird's phone side rear "
    "front top perpetual simultaneous patient lingering hesitant delicate stately dizzying frantic languid looping "
    "swooping "
    "snappy jerky silky unhurried playful nervous urgent violent hard deep loose complete partial quarter ninety "
    "endless "
    "relentless ponderous floating dreamy hypnotic weightless lateral twisting winding tentative careless clumsy "
    "subdued motion"
)
"""Words before a noun of the camera or of a motion that say how."""
OTHER_CAMERAS = word_set(
    "old vintage toy broken security surveillance film digital his her their its my polaroid antique instant "
    "disposable video spy phone brass dusty cracked pocket box web red black silver wooden abandoned child's "
    "tourist's photographer's speed traffic"
)
"""Words before *camera* that make it a thing in the scene."""
PARTS = word_set(
    "glass glasses put cap caps hood hoods bag bags strap straps case cases stand stands shop store crew battery "
    "flash tripod roll maker makers cover covers cloth gun guns"
)
"""Words after a name of the camera that make a thing of it."""
ACCIDENTS = word_set(
    "falls fall falling drops breaks shatters topples toppling tumbles lands melts cracks bounces lies lying "
    "hangs hanging sits stands standing on in beside near under behind against that of around"
)
"""Words after *camera*, *lens* or *frame* that say where a thing in the scene is, or what befalls it."""
DOWN_THERE = word_set("off from floor ground onto and tiles table")
ADVERBIAL = word_set("at in from during on over for here there now all throughout by near within")

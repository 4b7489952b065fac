"""framelib asks a hub whether a press on a frame is what the person has signed."""

import json
import sys

from framelib import validate_message
from framelib.models import FrameMessage

world = json.loads(sys.argv[1])


def pressed(frame):
    try:
        action = validate_message(FrameMessage(**frame), world["hub"])
    except ValueError as error:
        return {"refused": str(error)}
    body = action.data.frameActionBody
    return {"fid": action.data.fid, "button": body.buttonIndex}


print(json.dumps([pressed(frame) for frame in world["frames"]]))

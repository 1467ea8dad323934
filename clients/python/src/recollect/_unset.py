from enum import Enum
from typing import Final, Literal


class _Unset(Enum):
    UNSET = "UNSET"


Unset = Literal[_Unset.UNSET]
# Of an argument that was not given, where None means something else.
UNSET: Final = _Unset.UNSET

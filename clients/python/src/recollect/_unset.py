from enum import Enum
from typing import Final, Literal


class _Unset(Enum):
    UNSET = "UNSET"


Unset = Literal[_Unset.UNSET]
# The default of an argument for which None has a meaning of its own, or is refused.
UNSET: Final = _Unset.UNSET

"""A client of Recollect, the memory of AI agents.

``RecollectClient`` is the blocking client, and ``AsyncRecollectClient`` the client for asyncio.
"""

from . import types
from ._async.agent import AsyncAgentClient
from ._async.client import AsyncRecollectClient
from ._async.response import AsyncResponse
from ._errors import RecollectError
from ._sync.agent import AgentClient
from ._sync.client import RecollectClient
from ._sync.response import Response
from ._version import VERSION as __version__

__all__ = [
    "AgentClient",
    "AsyncAgentClient",
    "AsyncRecollectClient",
    "AsyncResponse",
    "RecollectClient",
    "RecollectError",
    "Response",
    "__version__",
    "types",
]

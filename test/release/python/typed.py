"""Uses the types of the installed package: type checkers find no error in it under strict."""

import asyncio

from recollect import AsyncRecollectClient, RecollectClient, RecollectError
from recollect.types import FactInput, Scope, SearchHit, StoredFact


def remember(url: str) -> list[SearchHit]:
    with RecollectClient(url) as client:
        memory = client.agent()
        memory.sessions.append("monday", [{"role": "user", "content": "Hello"}], scope=Scope(user="petra"))
        chat: list[dict[str, str]] = [{"role": "user", "content": "Hello"}]
        memory.sessions.append("monday", chat)
        stored: StoredFact = memory.facts.add("Petra likes tea.", category="preference")
        facts: list[FactInput] = [{"text": "It rains.", "validFrom": "2026-05-18T12:00:00Z"}]
        print(stored["id"], memory.facts.add_many(facts)["facts"][0]["status"])
        answer = memory.search("tea")
        if "unavailable" in answer:
            print(answer["action"])
        else:
            print(answer["mode"])
        paths: list[str] = [file["path"] for file in memory.files.all()]
        print(paths)
        return answer["results"]


async def watch(url: str) -> int:
    async with AsyncRecollectClient(url) as client:
        await client.agent().files.put("a.md", "text", if_none_match="*")
        async for status in client.agent().watch_status():
            return status["files"]
    return 0


try:
    print(len(remember("http://127.0.0.1:7420")), asyncio.run(watch("http://127.0.0.1:7420")))
except RecollectError as error:
    code: str = error.code

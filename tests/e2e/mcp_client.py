"""The official client of MCP against the guest's tool server; run in an environment that has ``mcp`` and not workgym.

Prints as JSON what it was told. Usage: ``mcp_client.py PYTHON BRIDGE``.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

CALLS = (
    ("list_files", {}),
    ("read_file", {"path": "notes.md"}),
    ("write_file", {"path": "out/made.txt", "content": "made by the client\n"}),
    ("bash", {"command": "cat out/made.txt; echo two >&2"}),
    (
        "python",
        {"code": "import openpyxl\nb = openpyxl.Workbook()\nb.active['A1'] = 'here'\nb.save('b.xlsx')\nprint(1)"},
    ),
    ("read_workbook", {"path": "b.xlsx"}),
    ("bash", {"command": "echo out; exit 3"}),
    ("read_file", {"path": "note.md"}),
    ("no_such_tool", {}),
)


async def talk(python: str, bridge: str) -> dict[str, object]:
    variables = {"PYTHONPATH": os.environ["BRIDGE_PATH"], "PATH": os.environ["PATH"]}
    server = StdioServerParameters(command=python, args=[bridge], env=variables)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = (await session.initialize()).model_dump(by_alias=True, mode="json")
        tools = (await session.list_tools()).model_dump(by_alias=True, mode="json")["tools"]
        await session.send_ping()
        answers = []
        for name, arguments in CALLS:
            told = (await session.call_tool(name, arguments)).model_dump(by_alias=True, mode="json")
            answers.append([name, told["content"][0]["text"], told["isError"]])
        echoes = (session.call_tool("bash", {"command": f"sleep 0.{9 - n}; echo {n}"}) for n in range(1, 5))
        together = await asyncio.gather(*echoes)
        overlapping = [one.model_dump(mode="json")["content"][0]["text"] for one in together]
    return {"hello": hello, "tools": tools, "answers": answers, "overlapping": overlapping}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(talk(*sys.argv[1:3]))))

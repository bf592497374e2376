"""The graph's records have a JSON Schema, and survive JSON."""

from __future__ import annotations

import json

from workgym.graph import SupportGraph
from workgym.plan import ConstructionPlan


def test_the_graph_has_a_schema_and_survives_json(graph: SupportGraph) -> None:
    schema = SupportGraph.model_json_schema()
    assert {"InfoUnit", "Carrier", "Support", "Binding", "Deliverable", "Column", "ColumnType"} <= set(schema["$defs"])
    assert schema["additionalProperties"] is False
    assert all(
        record.get("additionalProperties") is False for record in schema["$defs"].values() if "properties" in record
    )
    assert set(schema["$defs"]["InfoUnit"]["properties"]["status"]["enum"]) == {
        "provided",
        "external",
        "derived",
        "internal",
    }
    again = SupportGraph.model_validate(json.loads(graph.model_dump_json()))
    assert again == graph


def test_the_plan_has_a_schema() -> None:
    assert set(ConstructionPlan.model_json_schema()["properties"]) >= {
        "request",
        "artifacts",
        "dependencies",
        "context",
    }

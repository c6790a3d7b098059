"""What the robot came across, and the examples of the documentation."""

import csv
import os
import re
import subprocess
import sys

from support.program import Outrider
from support.runner import REPOSITORY, expect, expect_equal

from .stage import SETTINGS, ask, check, finished_task, stage, suite


@suite.test
def what_a_task_came_across_is_listed_drawn_and_exported():
    task = finished_task()
    urls = ask(f"/api/v1/tasks/{task}/urls").json()
    check(urls, {"$ref": "#/components/schemas/TaskUrls"}, "urls")
    found = {u["url"].removeprefix(stage.origin.url): u for u in urls["urls"]}
    expect_equal({path: u["state"] for path, u in found.items()},
                 {"/start": "fetched", "/leaf": "fetched", "/dead": "failed", "http://elsewhere.example/": "rejected"}, "states")  # fmt: skip
    expect_equal(found["http://elsewhere.example/"]["reason"], "restriction", "reason")
    expect_equal((found["/leaf"]["title"], found["/leaf"]["from"]), ("=Leaf()", f"{stage.origin.url}/start"), "leaf")
    expect(urls["complete"] and urls["next"] is None, "complete")
    graph = ask(f"/api/v1/tasks/{task}/graph").json()
    check(graph, {"$ref": "#/components/schemas/TaskGraph"}, "graph")
    expect_equal(len(graph["nodes"]), 3, "nodes")
    expect(all(a in (n["number"] for n in graph["nodes"]) for a, _ in graph["edges"]), "edges begin at nodes")
    expect_equal(ask(f"/api/v1/tasks/{task}/graph?cursor={graph['next']}").json()["nodes"], [], "nothing new")
    table = ask(f"/api/v1/tasks/{task}/export?format=csv&state=fetched")
    expect("attachment" in table.headers["Content-Disposition"], table.headers["Content-Disposition"])
    rows = list(csv.reader(table.body.decode().splitlines()))
    expect_equal(len(rows), 3, "rows")
    expect("'=Leaf()" in rows[2], f"a formula: {rows[2]}")
    expect_equal({u["url"] for u in ask(f"/api/v1/tasks/{task}/export").json()}, {u["url"] for u in urls["urls"]}, "JSON")
    expect_equal(ask(f"/api/v1/tasks/{task}/urls?state=nonsense").status, 400, "unknown state")


@suite.test
def a_list_that_lacks_something_says_so():
    task = finished_task(start=[f"{stage.origin.url}/unkept"])
    urls = ask(f"/api/v1/tasks/{task}/urls").json()
    check(urls, {"$ref": "#/components/schemas/TaskUrls"}, "urls")
    expect_equal((urls["complete"], urls["next"], len(urls["urls"])), (False, None, 1), "the list")
    expect("1 of 2 addresses" in urls["incomplete"] and "may not be kept" in urls["incomplete"], urls["incomplete"])


@suite.test
def without_a_memory_it_is_said_what_the_robot_lacks():
    home = stage.outrider.folder / "forgetful"
    home.mkdir()
    first, first_token = stage.outrider, stage.admin_token
    stage.outrider = Outrider(home, "memory.enabled=false", *SETTINGS)
    try:
        stage.admin_token = (home / "data" / "admin-token").read_text().strip()
        for place in ("tasks", "tasks/1/urls", "watches", "hosts"):
            answer = ask(f"/api/v1/{place}")
            expect_equal(answer.status, 503, place)
            expect("memory.enabled" in answer.json()["detail"], f"{place}: {answer.json()['detail']}")
    finally:
        stage.outrider.stop()
        stage.outrider, stage.admin_token = first, first_token


@suite.test
def forgotten_pages_are_gone_from_the_lists_of_tasks():
    task = finished_task()
    leaf = next(u["url"] for u in ask(f"/api/v1/tasks/{task}/urls").json()["urls"] if "/leaf" in u["url"])
    ask("/api/v1/forget", "POST", {"url": leaf})
    left = [u["url"] for u in ask(f"/api/v1/tasks/{task}/urls").json()["urls"]]
    expect(leaf not in left and f"{stage.origin.url}/start" in left, f"of one page: {left}")
    ask("/api/v1/forget", "POST", {"site": "127.0.0.1"})
    expect_equal(ask(f"/api/v1/tasks/{task}/urls").status, 404, "a task that was about nothing else")


@suite.test
def examples_in_the_documentation_work():
    text = (REPOSITORY / "docs" / "api.md").read_text()
    blocks = re.findall(r"```(sh|python)\n(.*?)```", text, re.DOTALL)
    expect(len(blocks) >= 4, f"{len(blocks)} examples")
    environment = {**os.environ, "OUTRIDER": stage.outrider.url, "DATA": str(stage.outrider.folder / "data"), "START": f"{stage.origin.url}/start"}
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        environment.pop(name, None)
    for kind, code in blocks:
        program = [sys.executable, "-c", code] if kind == "python" else ["bash", "-euo", "pipefail", "-c", code]
        process = subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, err = process.communicate(timeout=60)
        expect_equal(process.returncode, 0, f"exit code of\n{code}\n{err[-800:]}")
        expect(out, f"it printed nothing:\n{code}")
        if kind == "python":
            expect("finished 2 pages 0 open" in out and f"200 {stage.origin.url}/leaf =Leaf()" in out, out)
            lines = [line for line in code.splitlines() if line.strip()]
            expect(len(lines) <= 20, f"the program has grown to {len(lines)} lines")
    return f"{len(blocks)} examples"

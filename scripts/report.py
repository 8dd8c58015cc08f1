#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One page of several runs of a scene, side by side.

    scripts/report.py REPORT.html RUN...

RUN is a directory that `palpate run --plot` wrote. Prints the table and writes it, with the plots
inside it, to REPORT.html, which needs no other file.
"""
import html
import json
import pathlib
import re
import sys

COLUMNS = [  # heading, quantity of summary.json, statistic, format
    ("surface distance, max, mm", "surface_distance_mm", "max", ".2g"),
    ("force jump, p99, N", "force_jump_N", "p99", ".4f"),
    ("force turn, p99, degrees", "force_turn_deg", "p99", ".3f"),
    ("step, mean, µs", "haptic_step_us", "mean", ".2f"),
]
PLOTS = [("path.svg", "Path"), ("force.svg", "Force"), ("step.svg", "Time of a step")]

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #8886; }
th:first-child, td:first-child { text-align: left; }
td { font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; padding: .5rem; background: #fff; color: #000; border-radius: .5rem; }
svg { max-width: 100%; height: auto; }
"""


def numbers(summary):
    return [format(summary[quantity][statistic], form) for _, quantity, statistic, form in COLUMNS]


def print_table(summaries):
    heads = ["method"] + [heading for heading, *_ in COLUMNS]
    print("  ".join(f"{head:>{max(10, len(head))}}" for head in heads))
    for summary in summaries:
        cells = [summary["method"]] + numbers(summary)
        print("  ".join(f"{cell:>{max(10, len(head))}}" for cell, head in zip(cells, heads)))


def inline_svg(path, prefix):
    """The drawing without its XML declaration, its ids made unique on the page."""
    text = re.sub(r"^<\?xml[^>]*\?>\s*", "", path.read_text(encoding="utf-8"))
    text = re.sub(r"""(\bid=["'])""", rf"\g<1>{prefix}-", text)
    return re.sub(r"""(href=["']#|url\(#)""", rf"\g<1>{prefix}-", text)


def page(runs, summaries):
    scene = html.escape(summaries[0]["scene"])
    heads = "".join(f"<th>{heading}</th>" for heading, *_ in COLUMNS)
    rows = "".join(
        f"<tr><td>{html.escape(summary['method'])}</td>"
        + "".join(f"<td>{cell}</td>" for cell in numbers(summary)) + "</tr>"
        for summary in summaries)
    figures = ""
    for run, summary in zip(runs, summaries):
        method = html.escape(summary["method"])
        figures += f"<h2>{method}</h2><p>{html.escape(summary['verdict']['text'])}</p>"
        for file, title in PLOTS:
            drawing = inline_svg(run / file, f"{method}-{file[:-4]}")
            figures += f"<h3>{title}</h3><figure>{drawing}</figure>"
    return (f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Palpate: {scene}</title>"
            f"<style>{STYLE}</style><h1>{scene}</h1>"
            f"<table><tr><th>method</th>{heads}</tr>{rows}</table>{figures}</html>\n")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    runs = [pathlib.Path(argument) for argument in sys.argv[2:]]
    summaries = [json.loads((run / "summary.json").read_text(encoding="utf-8")) for run in runs]
    print_table(summaries)
    pathlib.Path(sys.argv[1]).write_text(page(runs, summaries), encoding="utf-8")


main()

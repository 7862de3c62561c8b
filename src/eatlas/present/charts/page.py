"""A chart as one HTML file: script, data and a still picture stand within."""

from __future__ import annotations

import json
from html import escape
from typing import Any

# expressions of Vega are compiled, hence 'unsafe-eval'; nothing may be fetched from anywhere
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'unsafe-inline'; img-src data: blob:"
)
_STYLE = "html{background:#fff}body,figure{margin:1rem}#chart{overflow-x:auto}svg{max-width:none}"
_OPTIONS = {
    "mode": "vega-lite",
    "renderer": "svg",
    "actions": {"export": True, "source": False, "compiled": False, "editor": False},
}


def page(specification: dict[str, Any], script: str, text: str, still: str) -> str:
    """Write the page.

    Parameters
    ----------
    specification : dict
        Of Vega-Lite.
    script : str
        Vega, Vega-Lite and Vega-Embed in one.
    text : str
        What the chart shows.
    still : str
        The chart as SVG, for browsers without scripts.
    """
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(_heading(specification))}</title>
<style>{_STYLE}</style>
<script>{_within_script(script)}</script>
</head>
<body>
<main><figure id="chart" aria-label="{escape(text)}"></figure><noscript>{still}</noscript></main>
<script id="specification" type="application/json">{_json(specification)}</script>
<script>
vegaEmbed("#chart", JSON.parse(document.getElementById("specification").textContent),
  {json.dumps(_OPTIONS)}).catch(console.error);
</script>
</body>
</html>
"""


def _heading(specification: dict[str, Any]) -> str:
    title = specification.get("title", "Chart")
    text = title.get("text", "Chart") if isinstance(title, dict) else title
    return text if isinstance(text, str) else " ".join(text)


def _json(values: dict[str, Any]) -> str:
    """JSON in which no name can end the script that holds it."""
    text = json.dumps(values, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _within_script(code: str) -> str:
    return code.replace("</script", "<\\/script")

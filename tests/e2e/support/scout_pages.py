"""Pages that make it hard to put something into them, and one that would like to know what its reader has read."""

HTML = "text/html; charset=utf-8"
PARAGRAPH = "Rivers carry more than water. They carry news, and sometimes whole cities follow them to the sea. " * 12
KNOWN = (
    '<!doctype html><html lang="en"><head><title>The long river</title>'
    '<meta name="description" content="How a river finds its way to the sea, told from the spring to the delta.">'
    '<meta name="author" content="Mara Voss"><meta property="og:site_name" content="River Letters">'
    '<meta property="og:image" content="/river.png"><link rel="icon" href="/icon.png">'
    '<meta property="article:published_time" content="2024-03-09T08:00:00Z"></head>'
    f'<body><article><h1>The long river</h1><p>{PARAGRAPH}</p><a href="/two">On</a></article></body></html>'
)
LINK = '<a id="known" href="{known}">the river</a>'


def page(body, head=""):
    return f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Letters from the water</title>{head}</head><body>{body}</body></html>"


# name → (headers, page); every page has a link #known. The last three cannot admit a script, so nothing may change.
POLICIES = {
    "nonce": ([("Content-Security-Policy", "default-src 'none'; script-src 'nonce-abc123'")], "", True),
    "strict-dynamic": (
        [("Content-Security-Policy", "script-src 'nonce-abc123' 'strict-dynamic'; frame-src 'none'; style-src 'none'")],
        "",
        True,
    ),
    "hash": ([("Content-Security-Policy", "default-src 'self'; script-src 'sha256-AAAA'; frame-src 'self'")], "", True),
    "none": ([("Content-Security-Policy", "default-src 'none'")], "", True),
    "trusted-types": (
        [("Content-Security-Policy", "require-trusted-types-for 'script'; trusted-types 'none'")], "", True
    ),
    "meta": ([], '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">', True),
    "hash-strict-dynamic": (
        [("Content-Security-Policy", "script-src 'sha256-AAAA' 'strict-dynamic'")], "", False
    ),
    "sandbox": ([("Content-Security-Policy", "sandbox")], "", False),
    "isolated": ([("Cross-Origin-Embedder-Policy", "require-corp")], "", False),
}

SHADOW = """<div id=outer></div><script>
  const root = document.getElementById('outer').attachShadow({mode: 'open'});
  root.innerHTML = '<p><a href="%s"><b>in the shadow</b></a></p>';
</script>"""

SINGLE_PAGE = """<div id=app><a id=first href="/unknown-first">first</a></div><script>
  function go() {
    history.pushState({}, '', '/app/second');
    document.documentElement.replaceChild(document.createElement('body'), document.body);
    document.querySelectorAll('outrider-frame').forEach(e => e.remove());
    document.body.innerHTML = '<p><a id=second href="%s">second</a></p>';
  }
</script>"""

NO_PREVIEWS = """<h2 id=part>Part</h2>
<p><a id=fragment href="#part">fragment</a> <a id=empty href="">empty</a> <a id=script href="javascript:void 0">script</a>
<a id=named>no address</a> <a id=button role=button href="/two">a button</a> <button id=real>button</button></p>"""

# Runs before everything else in the page and takes hold of all it can.
SPY_FIRST = """<script>
  window.spy = {names: new Set(Object.getOwnPropertyNames(window)), roots: [], frames: [], messages: [], ports: []};
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function(options) { const root = attach.call(this, options); spy.roots.push(root); return root; };
  const Channel = window.MessageChannel;
  window.MessageChannel = class extends Channel {
    constructor() {
      super();
      spy.ports.push(this.port1);
      this.port1.addEventListener('message', event => spy.messages.push(JSON.stringify(event.data)));
    }
  };
  addEventListener('message', event => spy.messages.push('window ' + JSON.stringify(event.data)));
</script>"""

# What a page can find out about a card of its own making. `look` is what the script would say.
SPY_PROBE = """(async url => {
  const card = location.protocol + '//outrider.internal/plugins/hyperscout/card';
  const frame = document.createElement('iframe');
  frame.src = card;
  frame.style.cssText = 'width:400px;height:290px';
  const loaded = new Promise(done => frame.onload = done);
  document.body.append(frame);
  await loaded;
  const channel = new MessageChannel(), heard = [];
  channel.port1.onmessage = event => heard.push(JSON.stringify(event.data));
  frame.contentWindow.postMessage('outrider', '*', [channel.port2]);
  channel.port1.postMessage({look: {url, text: 'x', opens: 'here', download: false}});
  channel.port1.postMessage({show: 1});
  await new Promise(done => setTimeout(done, 700));
  const tries = {};
  for (const [name, attempt] of Object.entries({
    document: () => String(frame.contentDocument), frames: () => frame.contentWindow.length,
    text: () => frame.contentWindow.document.body.innerText, place: () => frame.contentWindow.location.href,
    size: () => frame.scrollHeight + 'x' + frame.clientHeight, active: () => document.activeElement.localName,
    named: () => frame.contentWindow.card })) {
    try { tries[name] = attempt(); } catch (error) { tries[name] = error.name; }
  }
  const entry = performance.getEntriesByName(card).pop();
  tries.bytes = entry ? [entry.transferSize, entry.encodedBodySize, entry.decodedBodySize].join() : 'none';
  tries.timings = entry ? [entry.requestStart, entry.responseStart].join() : 'none';
  tries.heard = heard.join();
  tries.fetched = await fetch(card.replace('card', 'look'), {method: 'POST', body: JSON.stringify({url})}).then(
    answer => answer.text(), error => error.name);
  tries.blind = await fetch(card.replace('card', 'look'), {method: 'POST', mode: 'no-cors', body: JSON.stringify({url})}).then(
    answer => answer.type + answer.status, error => error.name);
  frame.remove();
  return JSON.stringify(tries);
})"""

# A page makes a card of its own ask about an address, and takes the time until another frame of ours has loaded.
SPY_CLOCK = """(async urls => {
  const frame = () => new Promise(done => {
    const made = document.createElement('iframe');
    made.src = location.protocol + '//outrider.internal/plugins/hyperscout/card';
    made.onload = () => done(made);
    document.body.append(made);
  });
  const times = urls.map(() => []);
  for (let turn = 0; turn < 20; ++turn)
    for (const [which, url] of urls.entries()) {
      const asking = await frame();
      const channel = new MessageChannel();
      const ready = new Promise(done => channel.port1.onmessage = done);
      asking.contentWindow.postMessage('outrider', '*', [channel.port2]);
      await ready;
      channel.port1.postMessage({look: {url, text: 'x'}});
      const begin = performance.now();
      const other = await frame();
      times[which].push(performance.now() - begin);
      channel.port1.postMessage({hide: 1});
      asking.remove();
      other.remove();
    }
  return JSON.stringify(times);
})"""

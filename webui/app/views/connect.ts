// From nothing to a browser that uses Outrider: what is done, what is left.
import { ask, live } from "../api";
import { h, replace } from "../dom";
import { chip, facts, problemText, View } from "../view";

export const connect: View = async (room, _place, overview) => {
  const said = h("p", { role: "status" });
  const anew = async () => draw(await ask("/onboarding"));
  function draw(state: any) {
    const focused = room.contains(document.activeElement) && document.activeElement?.tagName === "BUTTON";
    const address: string = state.proxy_addresses[0] ?? location.host;
    const through = location.hostname === "outrider.internal";
    const button = h("button", { class: state.opens_https ? "" : "primary", onclick: async () => {
      try {
        draw(await ask("/onboarding", "PATCH", { opens_https: !state.opens_https }));
        said.textContent = state.opens_https ? "HTTPS pages pass unseen from now on." : "HTTPS pages are opened from now on.";
      } catch (problem) { said.textContent = problemText(problem); }
    } }, state.opens_https ? "Stop opening HTTPS pages" : "Allow Outrider to open HTTPS pages");
    replace(room, h("h1", {}, "Connect a browser"),
      h("p", { class: "lead" }, "Three steps. The ", h("a", { href: "/" }, "start page"), " tests in your browser which of them are done, and has instructions for every system."),
      h("section", { class: "step" }, h("h2", {}, "1. Point it at Outrider", " ", through ? chip("done", "good") : null),
        h("p", {}, "In the network settings of the browser or of the system, enter this as the proxy for HTTP and HTTPS:"),
        h("p", { class: "big" }, h("code", {}, address)),
        h("p", { class: "quiet" }, "Or as the address for automatic configuration: ", h("code", {}, `http://${address}/proxy.pac`)),
        h("p", { class: "quiet" }, "Just a try: ", h("code", {}, "outrider browser"), " opens a fresh browser that is set up already.")),
      h("section", { class: "step" }, h("h2", {}, "2. Let it trust the certificate"),
        facts([["Name", state.authority.name], ["Fingerprint", h("code", { class: "wrap" }, state.authority.fingerprint)]]),
        state.authority.warning ? h("p", { class: "problem" }, state.authority.warning) : null,
        h("p", {}, h("a", { href: "/ca.crt" }, "Download the certificate"), " · ", h("a", { href: "/#trust" }, "how to add it"))),
      h("section", { class: "step" }, h("h2", {}, "3. Allow it to open HTTPS", " ", state.opens_https ? chip("allowed", "good") : chip("not allowed", "soft")),
        state.fixed ? h("p", {}, "The configuration decides this (", h("code", {}, "tls.intercept = " + state.intercept), ").")
          : overview.role === "admin" ? button : h("p", { class: "quiet" }, "Your token is for looking only."),
        said));
    if (focused) button.focus();
  }
  await anew();
  const offs = [live.on("onboarding", draw), live.on("again", () => void anew().catch(() => {}))];
  return () => offs.forEach((off) => off());
};

/* Search without a server: browsers refuse to start a worker on a page that is opened from disk, so its script runs in a
   hidden frame instead. The theme's own stand-in would be fetched from the network. */
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      this.ready = new Promise((ready) => {
        frame.addEventListener("load", () => {
          const inside = frame.contentWindow, script = inside.document.createElement("script");
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          script.addEventListener("load", () => ready(inside));
          script.src = url;
          inside.document.head.append(script);
        }, { once: true });
      });
      frame.hidden = true;
      frame.srcdoc = "<!doctype html><title>search</title>";
      document.documentElement.append(frame);
    }
    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };

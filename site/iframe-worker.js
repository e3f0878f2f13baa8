// The worker of the search, for pages that are read from the disk: browsers start no worker from a file, but they load
// its script in a frame. The theme's plugin `offline` expects this name.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.frame = frame.contentWindow;
      // The script of the worker sees the frame as its global scope; messages that it posts go to this object.
      this.frame.document.open();
      this.frame.answer = data => {
        const event = new MessageEvent("message", {data});
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      this.frame.document.write(
        "<script>window.postMessage = data => answer(data);" +
        "window.importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise(done => {" +
        "const script = document.createElement('script'); script.src = url; script.onload = done;" +
        "document.body.appendChild(script); })), Promise.resolve());</" + "script>" +
        `<body><script src="${url}"></` + "script></body>");
      this.frame.document.close();
    }
    postMessage(data) {
      const send = () => this.frame.dispatchEvent(new MessageEvent("message", {data}));
      if (this.frame.document.readyState === "complete") send();
      else this.frame.addEventListener("load", send, {once: true});
    }
    terminate() {
      this.frame.frameElement.remove();
    }
  };
}

"use strict";
// Elements, and what floats above them.

/** The element `tag.class.class` with attributes, listeners and children. */
function make(tag, attributes, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, attributes, children);
}

function makeSvg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

/** The value of a CSS variable, for canvases. */
function themed(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A hue for a line of the source: neighbours differ, and a line keeps its hue in all panes. */
function getHue(line) {
  return Math.round((line * 137.508) % 360);
}

function getStripe(line) {
  return `hsl(${getHue(line)} var(--stripe-s) var(--stripe-l))`;
}

/** A fill for canvases, which do not know of variables. */
function getFill(hue) {
  return `hsl(${hue} ${themed("--fill-s")} ${themed("--fill-l")})`;
}

/** Returns a canvas of a size in CSS pixels, and its context, sharp on any screen. */
function makeCanvas(width, height) {
  const scale = devicePixelRatio || 1;
  const canvas = make("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  return [canvas, context];
}

/** Shows children beside the pointer, inside of the window. */
function showPopover(event, ...children) {
  const popover = byId("popover");
  popover.replaceChildren(...children);
  popover.hidden = false;
  const box = popover.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
  const below = event.clientY + 18;
  const top = below + box.height < innerHeight ? below : Math.max(8, event.clientY - box.height - 12);
  popover.style.left = Math.max(8, left) + "px";
  popover.style.top = top + "px";
}

function hidePopover() {
  byId("popover").hidden = true;
}

/** 131072 as "131,072". */
function formatNumber(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

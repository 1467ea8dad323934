import { type PointerEvent, useEffect, useMemo, useRef, useState, type WheelEvent } from "react";
import type { MapPoint } from "recollect/client";
import { navigate } from "../../router/history.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { useWidth } from "../../ui/use-width.ts";

const TONES = { fact: "--color-fact", file: "--color-file", session: "--color-chat" } as const;
const [NEAR, MOST_ZOOM, PADDING] = [12, 24, 24];

interface View {
  zoom: number;
  /** The middle of the view, in the map's coordinates from -1 to 1. */
  x: number;
  y: number;
}

const WHOLE: View = { zoom: 1, x: 0, y: 0 };

/** Draws points that can be moved, magnified and opened. The list has the same memories in words. */
export function PointMap({
  agent,
  points,
  height,
}: {
  agent: string;
  points: readonly MapPoint[];
  /** The height in pixels; undefined: all of the room. */
  height?: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<{ x: number; y: number; moved: boolean }>(undefined);
  const width = useWidth(box);
  const [view, setView] = useState(WHOLE);
  const [near, setNear] = useState<MapPoint>();
  const tall = height ?? box.current?.clientHeight ?? 0;
  const scale = (Math.min(width, tall) / 2 - PADDING) * view.zoom;
  const place = useMemo(
    () => (point: { x: number; y: number }) =>
      [width / 2 + (point.x - view.x) * scale, tall / 2 + (point.y - view.y) * scale] as const,
    [width, tall, scale, view.x, view.y],
  );
  useEffect(() => {
    if (canvas.current && width > 0) draw(canvas.current, points, place, near);
  }, [points, place, near, width]);
  const pointAt = (event: PointerEvent<HTMLElement>) => {
    const at = event.currentTarget.getBoundingClientRect();
    return nearest(points, place, event.clientX - at.left, event.clientY - at.top);
  };
  const onMove = (event: PointerEvent<HTMLElement>) => {
    const from = drag.current;
    if (!from) return setNear(pointAt(event));
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (Math.abs(dx) + Math.abs(dy) < 3) return;
    drag.current = { x: event.clientX, y: event.clientY, moved: true };
    setView((now) => ({ ...now, x: now.x - dx / scale, y: now.y - dy / scale }));
  };
  const onUp = (event: PointerEvent<HTMLElement>) => {
    const wasClick = drag.current?.moved === false;
    drag.current = undefined;
    const point = wasClick ? pointAt(event) : undefined;
    if (point) navigate(targetOfPoint(agent, point));
  };
  const zoomBy = (factor: number) =>
    setView((now) => ({ ...now, zoom: Math.min(MOST_ZOOM, Math.max(1, now.zoom * factor)) }));
  return (
    <div
      ref={box}
      style={height === undefined ? undefined : { height }}
      className="relative min-h-0 grow overflow-hidden"
    >
      <canvas
        ref={canvas}
        role="img"
        aria-label={texts.memories.mapOf(points.length)}
        style={{ width, height: tall }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, y: event.clientY, moved: false };
        }}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerLeave={() => setNear(undefined)}
        onWheel={(event: WheelEvent) => zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2)}
        className={near ? "cursor-pointer" : "cursor-grab"}
      />
      {near && (
        <p className="pointer-events-none absolute start-4 bottom-4 max-w-md rounded-md bg-inverse px-3 py-2 text-sm text-inverse-fg [overflow-wrap:anywhere]">
          {near.title}
        </p>
      )}
      <span className="absolute end-4 top-4 flex flex-col gap-1">
        <Button size="icon" tip={texts.memories.zoomIn} onClick={() => zoomBy(1.5)}>
          {"+"}
        </Button>
        <Button size="icon" tip={texts.memories.zoomOut} onClick={() => zoomBy(1 / 1.5)}>
          {"−"}
        </Button>
      </span>
      <p className="absolute end-4 bottom-4 flex gap-3 rounded-md bg-surface px-2 py-1 text-xs text-fg-2">
        {(["fact", "file", "session"] as const).map((kind) => (
          <span key={kind} className="flex items-center gap-1.5">
            <svg aria-hidden="true" width="8" height="8">
              <circle cx="4" cy="4" r="4" fill={`var(${TONES[kind]})`} />
            </svg>
            {texts.memories.kinds[kind]}
          </span>
        ))}
      </p>
    </div>
  );
}

type Place = (point: MapPoint) => readonly [number, number];

function draw(canvas: HTMLCanvasElement, points: readonly MapPoint[], place: Place, near: MapPoint | undefined): void {
  const pixels = devicePixelRatio || 1;
  const { clientWidth, clientHeight } = canvas;
  canvas.width = clientWidth * pixels;
  canvas.height = clientHeight * pixels;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.scale(pixels, pixels);
  const styles = getComputedStyle(canvas);
  for (const point of points) {
    const [x, y] = place(point);
    pen.fillStyle = styles.getPropertyValue(TONES[point.kind]);
    pen.globalAlpha = point === near ? 1 : 0.75;
    pen.beginPath();
    pen.arc(x, y, point === near ? 7 : 2.5 + 2.5 * (point.importance ?? 0.3), 0, 2 * Math.PI);
    pen.fill();
  }
}

function nearest(points: readonly MapPoint[], place: Place, x: number, y: number): MapPoint | undefined {
  let [best, least]: [MapPoint | undefined, number] = [undefined, NEAR];
  for (const point of points) {
    const [px, py] = place(point);
    const distance = Math.hypot(px - x, py - y);
    if (distance < least) [best, least] = [point, distance];
  }
  return best;
}

function targetOfPoint(agent: string, { path, startLine, kind }: MapPoint) {
  const params = { agent };
  if (kind === "fact")
    return { to: "/agents/$agent/memories", params, search: { id: path.split("/").at(-1) ?? "", view: undefined } };
  if (kind === "session")
    return { to: "/agents/$agent/conversations", params, search: { session: path.replace(/^sessions\//, "") } };
  return {
    to: "/agents/$agent/files",
    params,
    search: { path, line: startLine === undefined ? undefined : String(startLine) },
  };
}

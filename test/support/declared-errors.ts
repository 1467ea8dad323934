import type { App } from "../../src/http/context.ts";

interface Declared {
  method: string;
  pattern: RegExp;
  responses: Record<string, { content?: Record<string, { examples?: object }> }>;
}

/**
 * Compares every error answer of an app with its OpenAPI document. If the document does not list
 * the status and code for the route, the request fails with an error.
 */
export function holdToDocument(app: App): void {
  const { fetch } = app;
  let routes: Declared[] | undefined;
  app.fetch = async (request, ...rest) => {
    const response = await fetch(request, ...rest);
    const isProblem = response.headers.get("content-type") === "application/problem+json" && request.method !== "HEAD";
    // A request with a malformed Host header matches no route.
    if (!isProblem || !URL.canParse(request.url)) return response;
    const { code } = (await response.clone().json()) as { code: string };
    routes ??= routesOf(app);
    const { pathname } = new URL(request.url);
    const route = routes.find(({ method, pattern }) => method === request.method && pattern.test(pathname));
    const known = route?.responses[response.status]?.content?.["application/problem+json"]?.examples ?? {};
    if (route && !Object.hasOwn(known, code))
      throw new Error(`src/http/error-responses.ts does not have ${code} for ${request.method} ${route.pattern}`);
    return response;
  };
}

function routesOf(app: App): Declared[] {
  return app.openAPIRegistry.definitions.flatMap((one) => {
    if (one.type !== "route") return [];
    const { method, path, responses } = one.route;
    const pattern = path.replaceAll("{.+}", "").replace(/\{(\w+)\}/g, (_, name) => (name === "path" ? ".+" : "[^/]+"));
    return [{ method: method.toUpperCase(), pattern: new RegExp(`^${pattern}$`), responses } as Declared];
  });
}

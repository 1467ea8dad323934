/** The files of Swagger UI that the page loads. */
export const VIEWER_FILES = { script: "swagger-ui-bundle.js", style: "swagger-ui.css" } as const;
/** The page's own script. It is a file because the page's policy allows no inline script. */
export const START_FILE = "start.js";

/**
 * Returns the page of the API reference. Its addresses are relative, because a proxy may put the
 * service below a prefix.
 *
 * @param versions the version of each file. It is part of the file's address, so browsers may keep
 *   the file until it changes
 */
export function referencePage(versions: Readonly<Record<string, string>>): string {
  const at = (name: string) => `reference/${name}?${versions[name] ?? ""}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Recollect API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at(VIEWER_FILES.style)}">
<script src="${at(VIEWER_FILES.script)}" defer></script>
<script src="${at(START_FILE)}" defer></script>
</head>
<body><noscript>The same for programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</noscript><div id="reference"></div></body>
</html>
`;
}

/**
 * Opens the viewer on this server's document. Requests go below the same prefix as the page. The
 * key stays in the page, and the page requests nothing from other origins: no validator, no font.
 */
export const START_SCRIPT = `
const base = new URL(".", location.href).href.replace(/\\/$/, "");
fetch("openapi.json")
  .then((answer) => answer.json())
  .then((spec) =>
    SwaggerUIBundle({
      spec: { ...spec, servers: [{ url: base, description: "This server" }] },
      dom_id: "#reference",
      deepLinking: true,
      docExpansion: "none",
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      filter: true,
      persistAuthorization: false,
      tryItOutEnabled: true,
      validatorUrl: null,
    }),
  );
`;

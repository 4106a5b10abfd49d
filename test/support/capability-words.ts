/** By what words a text speaks of a capability: the names of the folders of both `capabilities/`. */
export const capabilityWords: Readonly<Record<string, RegExp>> = {
  approval: /approv/i,
  audit: /audit/i,
  budget: /budget/i,
  client: /typed client/i,
  'client-documents': /client (id )?(metadata )?document/i,
  consumes: /consumes/i,
  contract: /acmcp diff/i,
  dev: /acmcp dev\b/i,
  doctor: /doctor/i,
  enterprise: /enterprise/i,
  idempotency: /idempot/i,
  init: /acmcp init/i,
  leaving: /eras(e|ure)|leaving/i,
  limit: /@limit/i,
  logout: /back-?channel|logout/i,
  machines: /client_credentials|machine/i,
  reference: /acmcp (explain|docs)/i,
  skills: /skill/i,
  tasks: /\btasks?\b/i,
  telemetry: /telemetry/i,
  timeout: /@timeout/i,
}

/** By what an application of a test says that it wants it. */
export const capabilityTags: Readonly<Record<string, RegExp>> = {
  approval: /@approval|\bapproval: \{/,
  audit: /@audit|\baudit: \{/,
  budget: /@mcp budget/,
  consumes: /@consumes/,
  enterprise: /\benterprise: \{/,
  idempotency: /@idempotencyKey|\bidempotency: \{/,
  limit: /@limit/,
  skills: /@mcp skill/,
  tasks: /@mcp task/,
  telemetry: /\btelemetry: \{/,
  timeout: /@timeout/,
}

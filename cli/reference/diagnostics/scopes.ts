/** Scopes: what `defineApp({ scopes })` declares, and what routes ask for with `@scope`. */
import type { Explanations } from './explanation.ts'

/** The source of a controller, and a configuration that declares these scopes. */
const sample = (controller: string, scopes: readonly string[], more = ''): string =>
  `${controller}\n// app/config.ts\nimport { defineApp } from 'acmcp'\n\nexport const config = defineApp({\n${more}  scopes: {\n${scopes.map((one) => `    ${one},\n`).join('')}  },\n})`
const declared = ["'orders:read': 'see your orders'"]
const route = (tags: readonly string[], code = 'index(): string[] { return [] }'): string =>
  `${['/**', ' * Lists orders.', ' *', ' * @get /', ...tags.map((tag) => ` * ${tag}`), ' */', code].join('\n')}\n`
const reads = route(['@scope orders:read'])
const creates = (tags: readonly string[]): string =>
  route(tags, 'create(): string[] { return [] }').replace('@get /', '@post /')
const me = route(['@scope none'], 'me(): string[] { return [] }').replace('@get /', '@get /me')
const key = `/** @filter before */
check(key?: Header<'X-Api-Key'>): Rendered | undefined { return key === undefined ? this.head(401) : undefined }

`
const inClass = (tag: string): string =>
  `/** ${tag} */\nexport class Orders extends Controller {\n${key}${route(['@scope orders:read unless=key'])}}\n`

export const aboutScopes: Explanations = {
  ACM172: {
    meaning:
      'The build checks scopes, and writes their words into documents, without running the application: it follows literals, constants, spreads and imports, and no calls, variables or settings of the environment.',
    wrong: sample(reads, ["'orders:read': words()"]).replace(
      'export',
      "const words = () => 'see your orders'\n\nexport",
    ),
    right: sample(reads, ["'orders:read': words"]).replace(
      'export',
      "const words = 'see your orders'\n\nexport",
    ),
  },
  ACM228: {
    meaning:
      'Clients send names of scopes in one list, parted by blanks (RFC 6749, 3.3). `api` is the scope of a client that asks for nothing more, and `none` and `unless=` mean something in `@scope`.',
    wrong: sample(reads, ["'orders:read': 'see your orders'", "api: 'everything'"]),
    right: sample(reads, declared),
  },
  ACM229: {
    meaning: 'Who is granted a scope is granted what it implies, and that must be a scope too.',
    wrong: sample(reads, ["'orders:read': { text: 'see your orders', implies: ['orders:lst'] }"]),
    right: sample(reads, [
      "'orders:read': { text: 'see your orders', implies: ['orders:list'] }",
      "'orders:list': 'list them'",
    ]),
  },
  ACM230: {
    meaning: 'Scopes that imply each other, over others too, can never be granted one without the other.',
    wrong: sample(reads, [
      "'orders:read': { text: 'see your orders', implies: ['orders:list'] }",
      "'orders:list': { text: 'list them', implies: ['orders:read'] }",
    ]),
    right: sample(reads, [
      "'orders:read': { text: 'see your orders', implies: ['orders:list'] }",
      "'orders:list': 'list them'",
    ]),
  },
  ACM231: {
    meaning:
      'A sensitive scope is granted only to a client that asks for it by name and whose user ticks it. A scope that is part of `api` would grant it unseen.',
    wrong: sample(reads, [
      "'orders:read': { text: 'see your orders', implies: ['cards:read'] }",
      "'cards:read': { text: 'see your cards', sensitive: true }",
    ]),
    right: sample(reads, [
      "'orders:read': { text: 'see your orders', implies: ['cards:read'], sensitive: true }",
      "'cards:read': { text: 'see your cards', sensitive: true }",
    ]),
  },
  ACM232: {
    meaning:
      'No client could ever be granted it: the names are those under `scopes` in `app/config.ts`, parted by blanks where a route asks for several.',
    wrong: sample(route(['@scope orders:raed']), declared),
    right: sample(reads, declared),
  },
  ACM233: {
    meaning:
      'The consent page would ask people for a permission that no route needs. A scope is used when a route asks for it or for one that it implies, or when code calls `this.requireScopes` with it.',
    wrong: sample(reads, ["'orders:read': 'see your orders'", "'orders:write': 'change your orders'"]),
    right: sample(reads, declared),
  },
  ACM234: {
    meaning: 'Without declared scopes there is only `api`, which every token has, and nothing to ask for.',
    wrong: reads.trimEnd(),
    right: sample(reads, declared),
  },
  ACM235: {
    meaning:
      'The route of `mcp.authProbe` says whether a credential is valid at all. Were it to need a scope, a client with another one could not reach the endpoint, where it is told what it lacks.',
    wrong: sample(reads, declared, "  mcp: { authProbe: '/orders' },\n"),
    right: sample(`${reads}\n${me}`, declared, "  mcp: { authProbe: '/orders/me' },\n"),
  },
  ACM236: {
    meaning:
      'Who has no token but a session or an `X-API-Key` header is let past the guard, whatever is in it: a before or around filter must check it.',
    wrong: sample(route(['@scope orders:read unless=key']), declared),
    right: sample(key + route(['@scope orders:read unless=key']), declared),
  },
  ACM237: {
    meaning:
      'A filter that only asks whose a token is lets every valid token past, also one that was granted nothing but reading. `@scope none` says that this is meant. Routes that only read, and that no filter covers, are open to everybody anyway.',
    wrong: sample(`${reads}\n${creates([])}`, declared),
    right: sample(`${reads}\n${creates(['@scope none'])}`, declared),
  },
  ACM238: {
    meaning:
      'Every `@scope` of a route must be met, those of its class too: `unless=` lets somebody past only where each of them says it.',
    wrong: sample(inClass('@scope orders:read'), declared),
    right: sample(inClass('@scope orders:read unless=key'), declared),
  },
}

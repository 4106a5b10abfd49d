/** The words of the controller language, as data: the tags, the words of `@mcp` and the wrappers of parameters. Loads nothing,
 *  so that the reference (`cli/reference`) lists what the reader knows without loading a compiler. */

export const routeTags = ['get', 'post', 'put', 'patch', 'delete', 'options', 'websocket'] as const

/** Tags that say how often and how long a route may be called, and how its calls are recorded. */
export const limitTags: readonly string[] = ['limit', 'timeout', 'audit']

/** Tags that other code uses too: they are ours near controllers alone. */
export const sharedTags: readonly string[] = [...limitTags, 'icon', 'complete']

/** Tags of classes and methods that the reader takes. */
export const ourTags: readonly string[] = [
  ...['base', 'mcp', 'skipFilter', 'requireTls', 'scope', ...sharedTags],
  ...routeTags,
  ...['returns', 'produces', 'param', 'throws', 'filter', 'exception'],
]

/** Tags of properties, parameters and types that nothing but a value has. */
export const constrainingTags: readonly string[] = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...[
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'uniqueItems',
    'pattern',
    'format',
    'choice',
    'schema',
  ],
]

/** Those, and what other tools write on values with the same meaning. */
export const valueTags: readonly string[] = [...constrainingTags, 'title', 'default', 'example', 'deprecated']

export const hintWords = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const

/** What may stand behind `@mcp`. */
export const mcpWords: readonly string[] = [
  ...['root', 'noroot', 'hide', 'show', 'title', 'describe', 'keywords', 'header', 'example'],
  ...['prompt', 'resource', 'task', 'name', 'skill', 'budget', 'paging'],
  ...hintWords,
]

/** What `Controller` itself has: no route, filter or handler can be called so. */
export const controllerMembers: readonly string[] = [
  ...['context', 'request', 'response', 'services', 'mcp', 'access'],
  ...['render', 'head', 'file', 'redirectTo', 'requireScopes'],
]

/** Types around the type of a parameter, by name: where the value is read; null = in the same place, under another name. */
export const wrapperNames = {
  Body: 'body',
  Header: 'header',
  Cookie: 'cookie',
  Named: null,
  Elicited: null,
} as const

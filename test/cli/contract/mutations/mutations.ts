/** Changes of a random application, one rule after the other, each with everything that must be found of it. */
import type { RuleName } from '../../../../cli/capabilities/contract/rules.ts'
import { rule } from '../../../../cli/capabilities/contract/rules.ts'
import type { Application, Declared, Draw, Field, Param, Route, Type } from './application.ts'
import { addressOf, isTool, type Site, sitesOf, toolOf, usesOf } from './uses.ts'

/** Changes `app` at a random place; null where there is none. */
export type Mutation = (app: Application, draw: Draw) => readonly string[] | null

const told = (name: RuleName, place: string, ...hits: readonly string[]): string =>
  `${rule(name).id} ${place} (${hits.join(', ')})`

/** At a route and its tool, which notice it alike. */
const both = ({ box, route }: Site, name: RuleName, path = ''): string =>
  told(
    name,
    `${addressOf(box, route)}${path === '' ? '' : ` ${path}`}`,
    ...(isTool(route) ? ['HTTP', 'tools'] : ['HTTP']),
  )
const http = ({ box, route }: Site, name: RuleName, path = ''): string =>
  told(name, `${addressOf(box, route)}${path === '' ? '' : ` ${path}`}`, 'HTTP')
const tool = ({ box, route }: Site, name: RuleName, path = ''): readonly string[] =>
  isTool(route) ? [told(name, `${toolOf(box, route)}${path === '' ? '' : ` ${path}`}`, 'tools')] : []

const at =
  (
    isFit: (route: Route, site: Site) => boolean,
    change: (site: Site, draw: Draw, app: Application) => readonly string[],
  ): Mutation =>
  (app, draw) => {
    const sites = sitesOf(app).filter((site) => isFit(site.route, site))
    return sites.length === 0 ? null : change(draw.one(sites), draw, app)
  }

const isPlain = ({ tags }: Route): boolean => !('prompt' in tags || 'resource' in tags || 'hide' in tags)
const hasParams = (route: Route): boolean => route.params.length > 0

const atParam = (
  isFit: (param: Param, route: Route) => boolean,
  change: (param: Param, site: Site, draw: Draw) => readonly string[],
): Mutation =>
  at(
    (route) => !('prompt' in route.tags) && route.params.some((param) => isFit(param, route)),
    (site, draw) =>
      change(draw.one(site.route.params.filter((param) => isFit(param, site.route))), site, draw),
  )

/** What a change of a type comes to, where it is sent and where it is answered. */
interface Told {
  readonly input: readonly RuleName[]
  readonly output: readonly RuleName[]
  /** What models read; where no tool has it, people read it in the document. */
  readonly text?: boolean
}

function ofType(
  app: Application,
  name: string,
  path: string,
  { input, output, text = false }: Told,
): readonly string[] {
  const uses = usesOf(app, name)
  const heard = (all: readonly string[]): readonly string[] => (text && !all.includes('tools') ? [] : all)
  const place = path === '' ? name : `${name} ${path}`
  const one = (rules: readonly RuleName[], hits: readonly string[]): readonly string[] =>
    hits.length === 0 ? [] : rules.map((found) => told(found, place, ...hits))
  const all = [...uses.input, ...uses.output]
  const isDocumented = text && all.includes('HTTP') && !all.includes('tools')
  return [
    ...one(input, heard(uses.input)),
    ...one(output, heard(uses.output)),
    ...(isDocumented ? [told('documented', place, 'HTTP')] : []),
  ]
}

interface Spot {
  readonly owner: Declared
  readonly field: Field
  readonly type: Type
  readonly path: string
  readonly put: (type: Type) => void
}

/** Each place in a field's type at which a type stands. */
function spotsIn(owner: Declared): readonly Spot[] {
  const within = (field: Field, prefix: string): readonly Spot[] => {
    const walk = (type: Type, path: string, put: (type: Type) => void): readonly Spot[] => {
      const own: Spot = { owner, field, type, path, put }
      if (type.kind === 'object') return [own, ...type.fields.flatMap((inner) => within(inner, `${path}.`))]
      if (type.kind !== 'list' && type.kind !== 'map' && type.kind !== 'nullable') return [own]
      const step = type.kind === 'list' ? '[]' : type.kind === 'map' ? '.*' : ''
      return [
        own,
        ...walk(type.of, `${path}${step}`, (of) => {
          type.of = of
        }),
      ]
    }
    return walk(field.type, `${prefix}${field.name}`, (type) => {
      field.type = type
    })
  }
  return owner.fields.flatMap((field) => within(field, ''))
}

const atSpot =
  (isFit: (spot: Spot) => boolean, change: (spot: Spot, draw: Draw) => Told): Mutation =>
  (app, draw) => {
    const spots = app.types.flatMap(spotsIn).filter((spot) => isFit(spot) && !('secret' in spot.field.tags))
    if (spots.length === 0) return null
    const spot = draw.one(spots)
    return ofType(app, spot.owner.name, spot.path, change(spot, draw))
  }

/** At a property, also of an object that stands in a type. */
const atField =
  (isFit: (field: Field) => boolean, change: (field: Field, fields: Field[], draw: Draw) => Told): Mutation =>
  (app, draw) => {
    const all = app.types.flatMap((owner) => [
      ...owner.fields.map((field) => ({ owner, field, fields: owner.fields, path: field.name })),
      ...spotsIn(owner).flatMap(({ type, path }) =>
        type.kind === 'object'
          ? type.fields.map((field) => ({ owner, field, fields: type.fields, path: `${path}.${field.name}` }))
          : [],
      ),
    ])
    const fit = all.filter(({ field, owner }) => owner.kind === null && isFit(field))
    if (fit.length === 0) return null
    const { owner, field, fields, path } = draw.one(fit)
    const name = owner.name
    const before = ofTypeUses(app, name)
    const said = change(field, fields, draw)
    return before(path, said)
  }

/** As it was used before the change. */
function ofTypeUses(app: Application, name: string): (path: string, said: Told) => readonly string[] {
  const before = structuredClone(app)
  return (path, said) => ofType(before, name, path, said)
}

const words = (type: Type): type is Extract<Type, { kind: 'words' }> => type.kind === 'words'

function withoutFirst(type: Type): void {
  if (words(type)) type.values.shift()
}

function withMore(type: Type, draw: Draw): void {
  if (words(type)) type.values.push(draw.word())
}

/** Tags that every route may have, with what they come to. */
const tagged = (
  isFit: (route: Route) => boolean,
  change: (tags: Record<string, string>, draw: Draw) => void,
  expected: (site: Site) => readonly string[],
): Mutation =>
  at(isFit, (site, draw) => {
    change(site.route.tags, draw)
    return expected(site)
  })

/** A property loses its mark; of a type that is sent that means nothing. */
const unmarked =
  (mark: string, name: RuleName): Mutation =>
  (app, draw) => {
    const owner = draw.one(app.types.filter(({ fields }) => fields.some(({ tags }) => mark in tags)))
    const field = draw.one(owner.fields.filter(({ tags }) => mark in tags))
    field.tags = {}
    const { input, output } = usesOf(app, owner.name)
    const place = `${owner.name} ${field.name}`
    return [
      ...(output.length === 0 ? [] : [told(name, place, ...output)]),
      ...(input.length === 0 ? [] : [told('harmless', place, ...input)]),
    ]
  }

/** Other words of a route: of its tool, and of the prompt or resource that it is. */
const reworded = (isFit: (route: Route) => boolean): Mutation =>
  at(isFit, (site, draw) => {
    site.route.text = draw.text()
    return [
      ...(isTool(site.route)
        ? [told('toolText', `${toolOf(site.box, site.route)} description`, 'HTTP', 'tools')]
        : [http(site, 'documented', 'summary')]),
      ...('prompt' in site.route.tags ? tool(site, 'promptText', 'description') : []),
      ...('resource' in site.route.tags ? tool(site, 'resourceText', 'description') : []),
    ]
  })

const scopeErrors = ['401', '403']
const approvalErrors = ['403', '409', '428', '429']

export const mutations: ReadonlyMap<string, Mutation> = new Map<string, Mutation>([
  [
    'a route is gone',
    at(isPlain, (site) => {
      site.box.routes = site.box.routes.filter((route) => route !== site.route)
      return [http(site, 'routeGone'), ...tool(site, 'toolGone')]
    }),
  ],
  [
    'a method is renamed',
    at(isPlain, (site, draw) => {
      const before = tool(site, 'toolRenamed', 'name')
      site.route.name = draw.word()
      return [http(site, 'routeRenamed'), ...before]
    }),
  ],
  [
    'a toolbox is gone',
    (app, draw) => {
      const box = draw.one(app.boxes)
      app.boxes = app.boxes.filter((one) => one !== box)
      return box.routes
        .flatMap((route) => {
          const site = { box, route }
          return [
            http(site, 'routeGone'),
            ...tool(site, 'toolGone'),
            ...('prompt' in route.tags ? tool(site, 'promptGone') : []),
            ...('resource' in route.tags ? tool(site, 'resourceAddress') : []),
          ]
        })
        .concat(told('toolboxGone', box.name.toLowerCase(), 'tools'))
    },
  ],
  [
    'an address is another',
    at(isPlain, (site, draw) => {
      const before = http(site, 'routeGone')
      site.route.address = `/${draw.word()}`
      return [before, http(site, 'routeNew'), ...tool(site, 'otherRoute')]
    }),
  ],
  [
    'a route is new',
    at(isPlain, (site, draw) => {
      const route: Route = {
        ...structuredClone(site.route),
        name: draw.word(),
        address: `/${draw.word()}`,
        tags: {},
        text: draw.text(),
      }
      site.box.routes.push(route)
      return [http({ box: site.box, route }, 'routeNew'), ...tool({ box: site.box, route }, 'toolNew')]
    }),
  ],
  [
    'a tool is hidden',
    at(
      (route, { box }) => isPlain(route) && box.routes.filter(isTool).length > 1,
      (site) => {
        const before = tool(site, 'toolGone')
        site.route.tags.hide = '@mcp hide'
        return before
      },
    ),
  ],
  [
    'a route becomes a tool',
    at(
      (route, { box }) => 'hide' in route.tags && box.routes.some(isTool),
      (site) => {
        Reflect.deleteProperty(site.route.tags, 'hide')
        const { scope } = site.route.tags
        const grown = scope === undefined ? [] : [told('scopeGrown', `${scope.slice(7)} tools`, 'tools')]
        return [...tool(site, 'toolVisible'), ...grown]
      },
    ),
  ],
  [
    'a required parameter is new',
    at(
      (route) => hasParams(route) && isPlain(route),
      (site, draw) => {
        const name = draw.word()
        const type: Type = { kind: 'plain', name: 'string' }
        site.route.params.unshift({
          name,
          type,
          isOptional: false,
          fallback: null,
          text: draw.text(),
          tags: {},
        })
        return [both(site, 'inputRequired', name)]
      },
    ),
  ],
  [
    'an optional parameter is new',
    at(
      (route) => hasParams(route) && isPlain(route),
      (site, draw) => {
        const name = draw.word()
        const type: Type = { kind: 'plain', name: 'string' }
        site.route.params.push({ name, type, isOptional: true, fallback: null, text: draw.text(), tags: {} })
        return [both(site, 'inputNew', name)]
      },
    ),
  ],
  [
    'a parameter is gone',
    atParam(
      () => true,
      (param, site) => {
        site.route.params = site.route.params.filter((one) => one !== param)
        return [both(site, 'inputGone', param.name)]
      },
    ),
  ],
  [
    'a parameter is required',
    atParam(
      (param, { params }) => param.isOptional && param.fallback === null && params.indexOf(param) === 1,
      (param, site) => {
        param.isOptional = false
        return [both(site, 'inputRequired', param.name)]
      },
    ),
  ],
  [
    'a parameter is optional',
    atParam(
      (param) => !param.isOptional,
      (param, site) => {
        param.isOptional = true
        return [both(site, 'inputWidened', param.name)]
      },
    ),
  ],
  [
    'a parameter takes a value less',
    atParam(
      ({ type }) => words(type),
      (param, site) => {
        withoutFirst(param.type)
        return [both(site, 'inputValueGone', param.name)]
      },
    ),
  ],
  [
    'a parameter takes a value more',
    atParam(
      ({ type }) => words(type),
      (param, site, draw) => {
        withMore(param.type, draw)
        return [both(site, 'inputWidened', param.name)]
      },
    ),
  ],
  [
    'a parameter is shorter',
    atParam(
      ({ tags }) => 'maxLength' in tags,
      (param, site) => {
        param.tags.maxLength = '@maxLength 5'
        return [both(site, 'inputNarrowed', param.name)]
      },
    ),
  ],
  [
    'a parameter has another pattern',
    atParam(
      ({ type, tags }) => type.kind === 'plain' && type.name === 'string' && Object.keys(tags).length === 0,
      (param, site, draw) => {
        param.tags.pattern = `@pattern ^${draw.word()}`
        return [both(site, 'inputNarrowed', param.name)]
      },
    ),
  ],
  [
    'a parameter has another default',
    atParam(
      ({ fallback }) => fallback !== null,
      (param, site) => {
        param.fallback = 99
        return [both(site, 'defaultChanged', param.name)]
      },
    ),
  ],
  [
    'other words for a parameter',
    atParam(
      () => true,
      (param, site, draw) => {
        param.text = draw.text()
        return isTool(site.route)
          ? [both(site, 'argumentText', param.name)]
          : [http(site, 'documented', param.name)]
      },
    ),
  ],
  [
    'a value less in a type',
    atSpot(
      ({ type }) => words(type),
      ({ type }) => {
        withoutFirst(type)
        return { input: ['inputValueGone'], output: ['outputNarrowed'] }
      },
    ),
  ],
  [
    'a value more in a type',
    atSpot(
      ({ type }) => words(type),
      ({ type }, draw) => {
        withMore(type, draw)
        return { input: ['inputWidened'], output: ['outputValueNew'] }
      },
    ),
  ],
  [
    'a type may be null',
    atSpot(
      ({ type, field, path }) =>
        type.kind === 'plain' && !field.isOptional && !/[[*]/.test(path) && field.type === type,
      ({ type, put }) => {
        put({ kind: 'nullable', of: type })
        return { input: ['inputWidened'], output: ['outputWidened'] }
      },
    ),
  ],
  [
    'a text becomes a number',
    atSpot(
      ({ type }) => type.kind === 'plain' && type.name === 'string',
      ({ put }) => {
        put({ kind: 'plain', name: 'number' })
        return { input: ['inputNarrowed', 'inputWidened'], output: ['outputWidened', 'outputNarrowed'] }
      },
    ),
  ],
  [
    'a text becomes an identifier',
    atSpot(
      ({ type }) => type.kind === 'plain' && type.name === 'string',
      ({ put }) => {
        put({ kind: 'plain', name: 'Uuid' })
        return { input: ['inputNarrowed'], output: ['outputNarrowed'] }
      },
    ),
  ],
  [
    'a whole number becomes any',
    atSpot(
      ({ type }) => type.kind === 'plain' && type.name === 'Int32',
      ({ put }) => {
        put({ kind: 'plain', name: 'number' })
        return { input: ['inputWidened'], output: ['outputWidened'] }
      },
    ),
  ],
  [
    'a property is gone',
    atField(
      (field) => Object.keys(field.tags).length === 0,
      (field, fields) => {
        fields.splice(fields.indexOf(field), 1)
        return { input: ['inputGone'], output: ['outputGone'] }
      },
    ),
  ],
  [
    'a property may be absent',
    atField(
      (field) => !field.isOptional,
      (field) => {
        field.isOptional = true
        return { input: ['inputWidened'], output: ['outputOptional'] }
      },
    ),
  ],
  [
    'a property is always there',
    atField(
      (field) =>
        !('secret' in field.tags) &&
        field.isOptional &&
        field.type.kind !== 'named' &&
        field.type.kind !== 'either' &&
        field.type.kind !== 'nullable' &&
        field.type.kind !== 'object',
      (field) => {
        field.isOptional = false
        return { input: ['inputRequired'], output: ['outputNarrowed'] }
      },
    ),
  ],
  [
    'a required property is new',
    (app, draw) => {
      const owner = draw.one(app.types.filter(({ kind }) => kind === null))
      const name = draw.word()
      owner.fields.push({
        name,
        type: { kind: 'plain', name: 'string' },
        isOptional: false,
        text: draw.text(),
        tags: {},
      })
      return ofType(app, owner.name, name, { input: ['inputRequired'], output: ['outputNew'] })
    },
  ],
  [
    'an optional property is new',
    (app, draw) => {
      const owner = draw.one(app.types.filter(({ kind }) => kind === null))
      const name = draw.word()
      owner.fields.push({
        name,
        type: { kind: 'plain', name: 'string' },
        isOptional: true,
        text: draw.text(),
        tags: {},
      })
      return ofType(app, owner.name, name, { input: ['inputNew'], output: ['outputNew'] })
    },
  ],
  [
    'another pattern',
    atField(
      (field) =>
        field.type.kind === 'plain' && field.type.name === 'string' && Object.keys(field.tags).length === 0,
      (field, _, draw) => {
        field.tags.pattern = `@pattern ^${draw.word()}`
        return { input: ['inputNarrowed'], output: ['outputNarrowed'] }
      },
    ),
  ],
  ['text of others is no longer marked', unmarked('untrusted', 'untrustedGone')],
  ['a secret is shown', unmarked('secret', 'secretGone')],
  [
    'other words for a property',
    atField(
      ({ tags }) => !('secret' in tags), // tools answer none
      (field, _, draw) => {
        field.text = draw.text()
        return { input: ['argumentText'], output: ['answerText'], text: true }
      },
    ),
  ],
  [
    'a scope is asked for',
    tagged(
      ({ tags }) => !('prompt' in tags || 'resource' in tags) && !('scope' in tags || 'approval' in tags),
      (tags) => {
        tags.scope = '@scope s2'
      },
      (site) => [both(site, 'scopeAdded'), ...scopeErrors.map((status) => http(site, 'harmless', status))],
    ),
  ],
  [
    'another scope is asked for',
    tagged(
      (route) => route.tags.scope === '@scope s1' && isTool(route) && !('prompt' in route.tags),
      (tags) => {
        tags.scope = '@scope s2'
      },
      (site) => [
        both(site, 'scopeAdded'),
        both(site, 'accessEased'),
        told('scopeGrown', 's2 tools', 'tools'),
        http(site, 'documented', '403'),
      ],
    ),
  ],
  [
    'a scope is asked for no more',
    tagged(
      ({ tags }) => !('prompt' in tags || 'resource' in tags) && 'scope' in tags && !('approval' in tags),
      (tags) => {
        Reflect.deleteProperty(tags, 'scope')
      },
      (site) => [both(site, 'accessEased'), ...scopeErrors.map((status) => http(site, 'harmless', status))],
    ),
  ],
  [
    'other words of a scope',
    (app, draw) => {
      const scope = draw.one(app.scopes)
      scope.text = draw.word()
      return [told('askedText', `${scope.name} text`, 'HTTP', 'tools')]
    },
  ],
  [
    'a scope is less sensitive',
    (app) => {
      for (const scope of app.scopes) scope.isSensitive = false
      return [told('accessEased', 's3 sensitive', 'HTTP', 'tools')]
    },
  ],
  [
    'a scope is new',
    (app, draw) => {
      app.scopes.push({ name: 's9', text: draw.word(), isSensitive: false })
      return [told('offerNew', 's9', 'HTTP', 'tools')]
    },
  ],
  [
    'a scope is gone',
    (app) => {
      app.scopes = app.scopes.filter(({ name }) => name !== 's3')
      return [told('scopeGone', 's3', 'HTTP', 'tools')]
    },
  ],
  [
    'a person must approve',
    tagged(
      (route) =>
        isPlain(route) &&
        route.verb === 'post' &&
        !['approval', 'limit', 'scope', 'idempotencyKey'].some((name) => name in route.tags),
      (tags, draw) => {
        tags.approval = `@approval Do ${draw.word()}`
      },
      (site) => [
        both(site, 'approvalAdded', 'approval'),
        ...tool(site, 'toolText', 'description'),
        ...approvalErrors.map((status) => http(site, 'harmless', status)),
      ],
    ),
  ],
  [
    'nobody approves',
    tagged(
      (route) => 'approval' in route.tags && !('scope' in route.tags),
      (tags) => {
        Reflect.deleteProperty(tags, 'approval')
      },
      (site) => [
        both(site, 'approvalGone', 'approval'),
        ...tool(site, 'toolText', 'description'),
        ...approvalErrors.map((status) => http(site, 'harmless', status)),
      ],
    ),
  ],
  [
    'people approve other words',
    tagged(
      (route) => 'approval' in route.tags,
      (tags, draw) => {
        tags.approval = `@approval Do ${draw.word()}`
      },
      (site) => [both(site, 'askedText', 'approval'), ...tool(site, 'toolText', 'description')],
    ),
  ],
  [
    'another limit',
    tagged(
      (route) => 'limit' in route.tags,
      (tags) => {
        tags.limit = '@limit 2/s'
      },
      (site) => [both(site, 'limitChanged', 'limit'), http(site, 'documented', '429')],
    ),
  ],
  [
    'another time',
    tagged(
      (route) => 'timeout' in route.tags,
      (tags) => {
        tags.timeout = '@timeout 9s'
      },
      (site) => [both(site, 'limitChanged', 'timeout'), http(site, 'documented', '503')],
    ),
  ],
  [
    'no prompt',
    tagged(
      (route) => 'prompt' in route.tags,
      (tags) => {
        Reflect.deleteProperty(tags, 'prompt')
      },
      (site) => tool(site, 'promptGone'),
    ),
  ],
  [
    'a prompt must have an argument',
    at(
      (route) => 'prompt' in route.tags,
      (site) => {
        const param = site.route.params[1]
        if (param !== undefined) param.isOptional = false
        return [both(site, 'inputRequired', 'p1'), ...tool(site, 'promptArgument', 'p1')]
      },
    ),
  ],
  [
    'no resource',
    tagged(
      (route) => 'resource' in route.tags,
      (tags) => {
        Reflect.deleteProperty(tags, 'resource')
      },
      (site) => tool(site, 'resourceAddress'),
    ),
  ],
  [
    'a resource has another address',
    tagged(
      (route) => 'resource' in route.tags,
      (tags, draw) => {
        tags.resource = `@mcp resource uri=note://${draw.word()}`
      },
      (site) => tool(site, 'resourceAddress', 'uri'),
    ),
  ],
  ['other words', reworded(isPlain)],
  ['other words of a hidden route', reworded(({ tags }) => 'hide' in tags)],
  ['other words of a prompt', reworded(({ tags }) => 'prompt' in tags)],
  ['other words of a resource', reworded(({ tags }) => 'resource' in tags)],
  [
    'other words for a toolbox',
    (app, draw) => {
      const box = draw.one(app.boxes.filter(({ routes }) => routes.some(isTool)))
      box.text = draw.text()
      return [told('toolboxText', `${box.name.toLowerCase()} instructions`, 'tools')]
    },
  ],
  [
    'a title',
    tagged(
      isPlain,
      (tags, draw) => {
        tags.title = `@mcp title="${draw.word()}"`
      },
      (site) => tool(site, 'toolText', 'title'),
    ),
  ],
  [
    'a tool is no longer read only',
    tagged(
      (route) => isPlain(route) && route.verb === 'get',
      (tags) => {
        tags.hint = '@mcp readOnly=false'
      },
      (site) => tool(site, 'hintUnsafe', 'hints'),
    ),
  ],
  [
    'a tool stands in the first list',
    tagged(
      isPlain,
      (tags) => {
        tags.root = '@mcp root'
      },
      (site) => tool(site, 'toolAtRoot', 'root'),
    ),
  ],
  [
    'a key is taken no more',
    tagged(
      (route) => 'idempotencyKey' in route.tags,
      (tags) => {
        Reflect.deleteProperty(tags, 'idempotencyKey')
      },
      (site) => [
        both(site, 'inputGone', 'idempotencyKey'),
        both(site, 'keyGone', 'idempotencyKey'),
        http(site, 'headerGone', '200 Idempotent-Replayed'),
        ...['400', '409', '422', '429'].map((status) => http(site, 'harmless', status)),
      ],
    ),
  ],
  [
    'another media type is read',
    tagged(
      (route) => route.body !== null,
      (tags) => {
        tags.consumes = '@consumes application/x-www-form-urlencoded'
      },
      (site) => [http(site, 'inputMediaTypeGone'), http(site, 'inputWidened')],
    ),
  ],
  [
    'another media type is answered',
    tagged(
      (route) => route.answer === null && isPlain(route),
      (tags) => {
        tags.produces = '@produces text/csv'
      },
      (site) => [both(site, 'outputMediaTypeGone'), http(site, 'harmless')],
    ),
  ],
  [
    'another class of status',
    tagged(
      (route) => isPlain(route) && !('idempotencyKey' in route.tags),
      (tags) => {
        tags.returns = '@returns 302 elsewhere'
      },
      (site) => [http(site, 'statusClassGone', '200'), http(site, 'statusChanged', '302')],
    ),
  ],
  [
    'another success status',
    tagged(
      (route) => isPlain(route) && !('idempotencyKey' in route.tags),
      (tags) => {
        tags.returns = '@returns 201 it'
      },
      (site) => [http(site, 'statusChanged', '200'), http(site, 'statusChanged', '201')],
    ),
  ],
])

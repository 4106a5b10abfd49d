/** The methods of the skills extension, and the files as resources. Clients of the older era that know the extension are answered too.
 *  Source: SEP-2640; MCP 2026-07-28, Resources, reading. */
import type { McpMethod, MethodAnswer, MethodCall } from '../../mcp/method.ts'
import type { EndpointPart, KeptBy, McpRoom } from '../../mcp/part.ts'
import { invalidParams } from '../../mcp/protocol/invalid-params.ts'
import { cutPage } from '../../mcp/protocol/list-cache.ts'
import { textParams } from '../../mcp/protocol/params-schema.ts'
import { type ServedSkill, skillFiles, skillsIn } from './served-skills.ts'

/** The extension's own words; the SDK's module of them would load a catalogue of its own. */
const extensionId = 'io.modelcontextprotocol/skills'
const methods = { list: 'skills/list', get: 'skills/get', folder: 'resources/directory/read' } as const

/** What the endpoint has of skills. */
export function skillPart({ options, cache }: McpRoom): EndpointPart {
  const parts = { pageSize: options.listPageSize, cache }
  return {
    capabilities: () => ({ extensions: { [extensionId]: { directoryRead: true } } }),
    methods: new Map([
      [methods.list, listSkills(parts)],
      [methods.get, getSkill(parts)],
      [methods.folder, readFolder(parts)],
    ]),
    resources: {
      listed: skillFiles,
      read: (uri, call) => {
        const skill = seenSkills(call).find((served) => served.uri === uri)
        if (skill === undefined) return null
        const contents = [{ uri, mimeType: 'text/markdown', text: skill.text }]
        return { contents, ...since2026(call, cache) }
      },
    },
  }
}

interface SkillParts {
  readonly pageSize: number
  readonly cache: KeptBy
}

type Asking = Omit<MethodCall, 'params'>

const seenSkills = ({ client }: Asking): readonly ServedSkill[] => skillsIn(client.permission.view.catalogue)

/** A cursor is good for one list alone, as this caller sees it. */
const versionOf = ({ client }: Asking, list: string): string => `${client.permission.view.version}  ${list}`

/** How long something holds is said from 2026-07-28 on. */
const since2026 = ({ message }: Asking, cache: KeptBy): Partial<KeptBy> =>
  message.era === 'modern' ? cache : {}

const result = (value: object): MethodAnswer => ({ kind: 'result', result: value })

const listSkills = ({ pageSize, cache }: SkillParts): McpMethod => ({
  schema: textParams([], ['cursor']),
  answer: ({ params, ...asking }) => {
    const all = seenSkills(asking).map(({ listed }) => listed)
    const { items, ...more } = cutPage(all, textIn(params.cursor), {
      ...{ pageSize, version: versionOf(asking, 'skills') },
    })
    return result({ skills: items, ...more, ...since2026(asking, cache) })
  },
})

const getSkill = ({ cache }: SkillParts): McpMethod => ({
  schema: textParams(['uri'], ['cursor']),
  answer: ({ params: { uri }, ...asking }) => {
    const skill = seenSkills(asking).find((served) => served.uri === uri)
    if (skill === undefined) throw invalidParams(`No skill is served at ${uri}`)
    return result({ skill: skill.listed, ...since2026(asking, cache) })
  },
})

const readFolder = ({ pageSize, cache }: SkillParts): McpMethod => ({
  schema: textParams(['uri'], ['cursor']),
  answer: ({ params: { uri, cursor }, ...asking }) => {
    const skill = seenSkills(asking).find(({ folder }) => folder === uri)
    if (skill === undefined) throw invalidParams(`${uri} is not a directory resource`)
    const paging = { pageSize, version: versionOf(asking, String(uri)) }
    const { items, ...more } = cutPage([skill.child], textIn(cursor), paging)
    return result({ resources: items, ...more, ...since2026(asking, cache) })
  },
})

/** The schema has seen that it is one. */
const textIn = (cursor: unknown): string | undefined => (typeof cursor === 'string' ? cursor : undefined)

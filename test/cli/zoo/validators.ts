/** What others say of the input schemas of tools: ajv in its strict mode, and the schemas of the protocol's own SDK. */
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Catalogue } from '../../../runtime/contract/mcp.ts'

/** Formats, and keywords of ours and of later revisions of the protocol, are annotations (JSON Schema 2020-12, Core, 6.5). */
const annotations = ['x-mcp-header', 'discriminator']

/** Types may be several (`string` with `minLength` in a union), and a tuple need not have all its members. */
const lenient = {
  allowUnionTypes: true,
  strictTuples: false,
  strictTypes: false,
  strictRequired: false,
} as const

/** The tools whose input schema one of them does not take, and why. */
export function refusedSchemas({ tools }: Pick<Catalogue, 'tools'>): readonly string[] {
  const ajv = new Ajv2020({ strict: true, ...lenient, validateFormats: false, validateSchema: true })
  for (const keyword of annotations) ajv.addKeyword(keyword)
  const byAjv = tools.flatMap(({ name, inputSchema }) => {
    try {
      ajv.compile(inputSchema)
      return []
    } catch (error) {
      return [`ajv: ${name}: ${error}`]
    }
  })
  const listed = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  const { success, error } = ListToolsResultSchema.safeParse({ tools: listed })
  return success ? byAjv : [...byAjv, `SDK: ${error.message}`]
}

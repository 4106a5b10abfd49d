/** Judges structured content by an output schema: what was cut may have too few items, or a text that ends too early. */
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import type { JsonSchema } from '../../contract/mcp.ts'

const provider = new CfWorkerJsonSchemaValidator({ draft: '2020-12' })

/** A schema that cannot be judged by fits nothing. */
export function isValid(schema: JsonSchema, value: unknown): boolean {
  try {
    return provider.getValidator({ ...schema })(value).valid
  } catch {
    return false
  }
}

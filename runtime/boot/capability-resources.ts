/** What lists the resources of capabilities, where no server is started. */
import { capabilities } from '../capabilities/index.ts'
import type { ResourceSource } from '../mcp/part.ts'

export const capabilityResources = async (): Promise<readonly ResourceSource['listed'][]> =>
  (await Promise.all(capabilities.map(({ resources }) => resources?.()))).filter(
    (found) => found !== undefined,
  )

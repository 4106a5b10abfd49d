import type { CapabilityParts, Core } from '../../boot/capability.ts'
import { exposedBy } from '../../mcp/tools/exposure.ts'
import { skillsIn } from './served-skills.ts'

/** An endpoint that exposes no tool of a skill says nothing of them. */
export function startSkills({ bundle, config }: Core): CapabilityParts {
  const { catalogue } = exposedBy(config.mcp, bundle)
  if (skillsIn(catalogue).length === 0) return {}
  return { endpoint: async (room) => (await import('./skills.ts')).skillPart(room) }
}

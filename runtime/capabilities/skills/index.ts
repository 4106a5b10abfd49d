/** How to use a toolbox, as a file that clients find and read (`@mcp skill`). */
import type { Capability } from '../../boot/capability.ts'
import { skillsOf } from './skill-entry.ts'

export const skills: Capability = {
  name: 'skills',
  methods: ['skills/list', 'skills/get', 'resources/directory/read'],
  isUsed: ({ bundle }) => skillsOf(bundle.catalogue) !== undefined,
  unused: 'no controller has @mcp skill',
  start: async (core) => (await import('./start.ts')).startSkills(core),
  resources: async () => (await import('./served-skills.ts')).skillFiles,
}

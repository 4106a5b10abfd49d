/** Calls of tools that go on while their client does something else (`@mcp task`, and routes that answer 202). */
import type { Capability } from '../../boot/capability.ts'
import { hasTasks } from './accepting-routes.ts'
import { taskLimits } from './settings.ts'
import { taskHeadersTable, taskTable } from './task-table.ts'

export const tasks: Capability = {
  name: 'tasks',
  limits: taskLimits,
  tables: [taskTable, taskHeadersTable],
  methods: ['tasks/cancel', 'tasks/get', 'tasks/list', 'tasks/result', 'tasks/update'],
  isUsed: ({ bundle }) => hasTasks(bundle),
  unused: 'no tool has @mcp task, and none answers 202',
  start: async (core) => (await import('./start.ts')).startTasks(core),
}

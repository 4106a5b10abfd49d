/** Tasks of an application, from its start to its end. */
import type { CapabilityParts, Core } from '../../boot/capability.ts'
import { exposedBy } from '../../mcp/tools/exposure.ts'
import { acceptingRoutes, hasTasks } from './accepting-routes.ts'
import { taskLimits } from './settings.ts'
import { statusRoutes } from './status-routes.ts'
import { taskVerbs } from './task-verbs.ts'
import type { Tasks } from './tasks.ts'

/** An endpoint that exposes no tool with tasks says nothing of them. */
export function startTasks(core: Core): CapabilityParts {
  const { bundle, config, store, bus, randomBytes } = core
  const exposed = exposedBy(config.mcp, bundle)
  if (!hasTasks(exposed)) return {}
  let tasks: Tasks | null = null
  return {
    endpoint: async ({ options, deps }) => {
      const { createTasks } = await import('./tasks.ts')
      const settings = {
        ...core.limits(taskLimits),
        ...{ store: store.verbs(taskVerbs), bus, randomBytes },
        acceptingRoutes: acceptingRoutes(exposed),
        findStatusRoute: statusRoutes(exposed.routes),
      }
      tasks = createTasks({ ...options, tasks: settings }, deps)
      return tasks.part
    },
    userRevoked: (userId) => tasks?.recheck(userId),
    close: async (patienceMs) => tasks?.close(patienceMs),
    hurry: () => tasks?.hurry(),
  }
}

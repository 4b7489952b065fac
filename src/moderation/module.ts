import type { Module, ModuleContext } from '../module.ts'
import { createModerationMetrics } from './metrics.ts'
import { createModeration, type Moderation, type ModerationOptions } from './moderation.ts'
import { operatorModerationRoutes } from './operator-routes.ts'

export type ModerationModule = Module & { readonly moderation: Moderation }

/** Suspending, hiding and erasing, by the operator and by account owners. */
export function createModerationModule(
  { storage, clock, metrics, jobs, onError }: ModuleContext,
  options: Pick<ModerationOptions, 'news' | 'takeName'>,
): ModerationModule {
  const moderation = createModeration({
    ...options,
    storage,
    clock,
    metrics: createModerationMetrics(metrics, storage),
    runJob: jobs.run,
    onError,
  })
  return {
    name: 'moderation',
    moderation,
    jobs: [moderation.job],
    operatorRoutes: operatorModerationRoutes(moderation),
  }
}

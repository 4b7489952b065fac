import type { Module, ModuleContext } from '../module.ts'
import type { Views } from './port.ts'
import type { ViewConfig } from './settings.ts'

export type ViewsModule = Module & {
  /** Undefined when the settings leave the views out. */
  readonly views: Views | undefined
}

/** Keeps the tables behind feeds, counts, search and notifications. */
export function createViewsModule(_context: ModuleContext, config: ViewConfig): ViewsModule {
  if (!config.views) return { name: 'views', views: undefined }
  const views: Views = {
    state: () => ({ status: 'building', ratio: 0 }),
    wake() {},
    passed: async () => false,
    hold: () => () => {},
    async rebuild() {},
  }
  return { name: 'views', views }
}

import { feature } from '../../kernel/feature.ts'
import { SAMPLE_MIGRATION } from './migrations/047-samples.ts'
import { OPS_SETTINGS } from './settings.ts'
import { METRIC_SAMPLES } from './tables/metric-samples.ts'

declare module '../../kernel/storage/locks.ts' {
  interface WholeKinds {
    samples: true
  }
}

/** Health, metrics and the room of the operator. */
export const operations = feature({
  name: 'operations',
  needs: ['moderation', 'moderation-records'],
  tables: [METRIC_SAMPLES],
  migrations: [{ id: 47, what: 'numbers of a week', statements: SAMPLE_MIGRATION }],
  settings: [OPS_SETTINGS],
  serve: () => import('./serve.ts'),
})

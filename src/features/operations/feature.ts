import { feature } from '../../kernel/feature.ts'
import { PEOPLE_MIGRATION } from './migrations/047-people-and-samples.ts'
import { OPS_SETTINGS } from './settings.ts'
import { METRIC_SAMPLES } from './tables/metric-samples.ts'

/** Health, metrics and the room of the operator. */
export const operations = feature({
  name: 'operations',
  tables: [METRIC_SAMPLES],
  migrations: [
    { id: 47, what: 'numbers of a week and reports by account', statements: PEOPLE_MIGRATION },
  ],
  settings: [OPS_SETTINGS],
})

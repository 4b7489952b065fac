export { registerRecoveryMetrics } from './metrics.ts'
export { RecoveryService } from './recovery-service.ts'
export { recoveryOperatorRoutes, recoveryRoutes } from './routes.ts'
export { recoveryRows } from './tables/recoveries.ts'

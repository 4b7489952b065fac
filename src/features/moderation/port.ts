export { exportRows } from './export-rows.ts'
export { ownDecisions } from './member-routes.ts'

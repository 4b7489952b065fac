export type { Registrations } from './registrations.ts'

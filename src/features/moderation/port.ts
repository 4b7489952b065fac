import { port } from '../../kernel/ports.ts'
import type { ModeratorsPort } from './mails.ts'

export { exportRows } from './export-rows.ts'
export type { ModeratorsPort } from './mails.ts'
export { ownDecisions } from './member-routes.ts'
export const MODERATORS = port<ModeratorsPort>('moderators')

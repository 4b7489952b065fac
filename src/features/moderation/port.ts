import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { ModeratorsPort } from './mails.ts'

export { exportRows } from './export-rows.ts'
export type { ModeratorsPort } from './mails.ts'
export { ownDecisions } from './member-routes.ts'
export const MODERATORS = port<ModeratorsPort>('moderators')

/** How many more accounts may have a role. */
export type StaffPlaces = (reader: Pick<Reader, 'of'>) => Promise<number>
export const STAFF_PLACES = port<StaffPlaces>('places of the staff')

import { port } from '../../kernel/ports.ts'
import type { Previews } from './previews/previews.ts'
import type { SiteFiles } from './remote/site-files.ts'

/** What links lead to. */
export const PREVIEWS = port<Previews>('previews')

/** How other sites are asked for somebody. */
export type SitesPort = Pick<SiteFiles, 'runLimited'> & {
  /** The charge for a connection to another site, in bytes of an answer. */
  readonly connectionBytes: number
}
export const SITES = port<SitesPort>('other sites')

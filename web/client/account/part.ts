import type { Opened } from '../custody/open.ts'

/** What each part of the screen about the own account is given. */
export type PartProps = {
  fid: number
  username: string
  /** Undefined until the owner has shown that it is them. */
  opened: Opened | undefined
}

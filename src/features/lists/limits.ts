/** Lists of people that one user may have: each is a tab of Home. */
export const MAX_LISTS = 20
/** People on one list: its feed reads the newest casts of each of them. */
export const MAX_LISTED = 100
/** Tags that one user may follow: one search finds the casts with any of them. */
export const MAX_TAGS = 50
export const MAX_NAME_CHARACTERS = 40

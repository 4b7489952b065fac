/** Where the browser keeps which account it acts as. */
export const SESSION_KEY = 'rookery.fid'

export function sessionFid(): number | undefined {
  try {
    const fid = Number(localStorage.getItem(SESSION_KEY))
    return Number.isSafeInteger(fid) && fid > 0 ? fid : undefined
  } catch {
    return undefined
  }
}

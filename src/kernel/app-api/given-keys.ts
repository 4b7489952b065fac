/** The key of the app that every development network has. */
export const DEVELOPMENT_KEY = 'development'
/** The public key of the web client: it reads, and counts by address. */
export const WEB_KEY = 'web'

// Settings with which clients that are built for the deployed Farcaster network work unmodified.

type Env = Readonly<Record<string, string | undefined>>

/**
 * The settings of `--as-deployed`: published clients sign for mainnet, read network names with the deployed prefix,
 * expect the bytes of frames in base64, know channels and casts by the addresses of the deployed client, and find hubs
 * that store the casts of blocked users and keep as many messages as a fid has storage for.
 */
export const AS_DEPLOYED = {
  ROOKERY_NETWORK: 'mainnet',
  ROOKERY_JSON: 'deployed',
  ROOKERY_LINKS: 'deployed',
  ROOKERY_ENFORCE_BLOCKS: 'false',
  ROOKERY_STORAGE_GROWS: 'off',
} as const

/** One store holds one network: a development network of the other kind keeps its data. */
export const AS_DEPLOYED_DATA_DIR = 'data-as-deployed'

/** Adds defaults for variables that the environment does not set. */
export function withDefaults(defaults: Env, env: Env): Env {
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== '')
  return { ...defaults, ...Object.fromEntries(given) }
}

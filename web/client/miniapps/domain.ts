// Domains of apps in pages. They are shown as they are sent, in ASCII: a name in other letters cannot pass for another one.

/** The domain of an address: its host, with a port where it is local. */
export const domainOf = (url: string): string => new URL(url).host

/** A domain as the browser writes it; the same text when it is none. */
export const nameForDomain = (text: string): string => {
  const url = URL.parse(`http://${text}`)
  return url && url.host !== '' ? url.host : text
}

const appPath = (domain: string): string => `/miniapps/${encodeURIComponent(domain)}`

/** Where an app is opened at an address of its own, such as that of a notification. */
export const launchPath = (domain: string, url?: string): string =>
  url === undefined ? appPath(domain) : `${appPath(domain)}?${new URLSearchParams({ url })}`

export const aboutPath = (domain: string): string => `${appPath(domain)}/about`

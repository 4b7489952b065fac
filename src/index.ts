// `rookery`: the server inside a program of yours. It needs Node 26.

export { type App, type AppOptions, startApp } from './app.ts'
export { type Config, ConfigError, readConfig } from './config.ts'
export { VERSION } from './version.ts'

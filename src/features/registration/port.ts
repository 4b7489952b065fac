export { FidStock, type Registrations } from './registrations.ts'
export { type RegistrationContext, registrationRoutes } from './routes.ts'

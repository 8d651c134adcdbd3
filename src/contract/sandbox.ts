/** The paths after `/sandbox` are those of the service (decisions 10.8). */
export const SANDBOX_PATHS = ['/sandbox/v1/ip/{ip}', '/sandbox/pulse/v1/ip/{ip}'] as const;
export type SandboxPath = (typeof SANDBOX_PATHS)[number];

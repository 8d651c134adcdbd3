/** Paths of the sandbox (decisions 10.8); behind `/sandbox` they are those of the service. */
export const SANDBOX_PATHS = ['/sandbox/v1/ip/{ip}', '/sandbox/pulse/v1/ip/{ip}'] as const;
export type SandboxPath = (typeof SANDBOX_PATHS)[number];

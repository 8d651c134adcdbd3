# Reports the exit that this machine is behind, once or every so many seconds (PowerShell 5.1 and later).
#
#   $env:PULSE_URL = 'https://pulse.example'; $env:PULSE_BEACON = 'pb_...'; .\beacon.ps1 [-Every SECONDS] [-Proxy http://proxy:port]
param([int]$Every = 0, [string]$Proxy = '')
$ErrorActionPreference = 'Stop'
if (-not $env:PULSE_URL) { throw 'set PULSE_URL to the address of the service' }
if (-not $env:PULSE_BEACON) { throw 'set PULSE_BEACON to the token of the beacon' }
$request = @{
  Method     = 'Post'
  Uri        = "$($env:PULSE_URL)/v1/beacon"
  Headers    = @{ Authorization = "Bearer $($env:PULSE_BEACON)" }
  TimeoutSec = 30
}
if ($Proxy) { $request.Proxy = $Proxy }
do {
  try { Invoke-RestMethod @request | ConvertTo-Json -Compress }
  catch {
    if ($Every -le 0) { throw }
    Write-Warning $_.Exception.Message
  }
  if ($Every -gt 0) { Start-Sleep -Seconds $Every }
} while ($Every -gt 0)

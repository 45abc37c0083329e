package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const largestAnswer = 16 << 20

// api reads from the cluster with the token of the pod's service account.
type api struct {
	account string
	client  *http.Client
}

func newAPI(account string) *api {
	return &api{account: account}
}

// read decodes the answer to a GET request. It returns why it could not: every reason can pass, even a denial, since the
// rights of the account may be applied after the pod.
func (a *api) read(ctx context.Context, path, selector string, into any) string {
	token, err := os.ReadFile(filepath.Join(a.account, "token"))
	if err != nil {
		return "no service account is mounted"
	}
	if a.client == nil {
		roots := x509.NewCertPool()
		if trusted, err := os.ReadFile(filepath.Join(a.account, "ca.crt")); err == nil {
			roots.AppendCertsFromPEM(trusted)
		}
		a.client = &http.Client{
			Timeout:   15 * time.Second,
			Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
		}
	}
	server := net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+server+path+query(selector), nil)
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	answer, err := a.client.Do(request)
	if err != nil {
		return "no answer from the cluster: " + err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, largestAnswer))
	switch {
	case err != nil:
		return "no answer from the cluster: " + err.Error()
	case answer.StatusCode == http.StatusNotFound:
		return "it does not exist"
	case answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized:
		return "this account may not read it (yet)"
	case answer.StatusCode != http.StatusOK:
		return fmt.Sprintf("the cluster answered %d", answer.StatusCode)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return "the cluster's answer is not JSON: " + err.Error()
	}
	return ""
}

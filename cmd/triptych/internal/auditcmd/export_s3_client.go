package auditcmd

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

// s3Client returns a client with the settings of the variables AWS_*. It reads no files of
// profiles and asks no metadata service of a machine, so that it has no right that this process
// was not given.
func s3Client(getenv func(string) string) (*s3.Client, error) {
	endpoint := cmp.Or(getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL"))
	region := cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"))
	credentials := aws.Credentials{
		AccessKeyID: getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: getenv("AWS_SESSION_TOKEN"),
	}
	switch {
	case !credentials.HasKeys():
		return nil, app.WithHints(errors.New("--to-s3 needs credentials"), "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case region == "" && endpoint == "":
		return nil, app.WithHints(errors.New("--to-s3 needs the region of the bucket"), "set AWS_REGION, or AWS_ENDPOINT_URL for another service than that of AWS")
	}
	client, err := httpClient(getenv("AWS_CA_BUNDLE"))
	if err != nil {
		return nil, err
	}
	o := s3.Options{
		Region:                     cmp.Or(region, "us-east-1"), // what other services take
		Credentials:                aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return credentials, nil }),
		HTTPClient:                 client,
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
	}
	if endpoint != "" {
		o.BaseEndpoint, o.UsePathStyle = &endpoint, true // a name for each bucket needs DNS of its own
	}
	return s3.New(o), nil
}

// httpClient returns a client that trusts the authorities of a PEM file besides those of the
// system. The file may be "".
func httpClient(authorities string) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone() // it is always one
	if authorities != "" {
		text, err := os.ReadFile(authorities)
		if err != nil {
			return nil, fmt.Errorf("AWS_CA_BUNDLE: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("AWS_CA_BUNDLE: %s has no certificates", authorities)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // it would sign for another host
	return &http.Client{Transport: transport, CheckRedirect: refuse}, nil
}
